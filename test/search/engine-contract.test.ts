import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { engineIn, withIndexFolder } from "../support/index/index-folder.ts";
import { engineContract } from "./engine-contract.ts";

engineContract("the embedded engine on disk", (use) =>
  withIndexFolder((folder) => use(() => engineIn(folder))),
);

engineContract("the embedded engine in memory", async (use) => {
  const disk = createMemoryDisk(() => 0);
  await use(() => engineIn("/index", { disk }));
});
