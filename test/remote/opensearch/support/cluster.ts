import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("../node/", import.meta.url));

/** What is installed once: the jars of a node and our launcher. */
export type Installed =
  | { readonly kind: "installed"; readonly folder: string }
  | { readonly kind: "missing"; readonly why: string };

/** Fetches the jars into a folder outside the checkout, which later runs find again. */
export function installCluster(): Installed {
  const folder =
    process.env.SESSIONS_TEST_CLUSTER_FOLDER ?? join(tmpdir(), `sessions-test-cluster-${digest()}`);
  const { status, stderr } = spawnSync(join(sources, "install"), [folder], { encoding: "utf8" });
  if (status === 0) return { kind: "installed", folder };
  if (status === 3) return { kind: "missing", why: stderr.trim() };
  throw new Error(`The test cluster can't be installed: ${stderr}`);
}

/** Another launcher or other jars go to another folder. */
function digest(): string {
  const hash = createHash("sha256");
  for (const name of ["pom.xml", "TestNode.java", "log4j2.properties"])
    hash.update(readFileSync(join(sources, name)));
  return hash.digest("hex").slice(0, 12);
}

export interface TestCluster {
  /** The addresses of the nodes, e.g. http://127.0.0.1:41234. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** Kills a node as `kill -9` does and waits until it is gone. */
  kill(node: number): Promise<void>;
  /** Starts a killed node again, on its old data and a new port. */
  restart(node: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts nodes in a JVM each, on ports that the system picks, and waits until they form a green cluster. */
export async function startCluster(
  { folder: installed }: { readonly folder: string },
  { nodes = 3, settings = [] }: { readonly nodes?: number; readonly settings?: readonly string[] } = {},
): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), "sessions-cluster-"));
  const names = Array.from({ length: nodes }, (_, i) => `node${i}`);
  const start = (name: string): Promise<RunningNode> =>
    startNode(installed, join(folder, name), name, names, settings);
  const running = await Promise.all(names.map(start));
  const introduce = (): void => {
    const hosts = running.map(({ transport }) => `127.0.0.1:${transport}\n`).join("");
    for (const name of names) writeFileSync(join(folder, name, "config", "unicast_hosts.txt"), hosts);
  };
  const stop = async (): Promise<void> => {
    await Promise.all(running.map(endNode));
    rmSync(folder, { recursive: true, force: true });
  };
  const at = (node: number): RunningNode => {
    const found = running[node];
    if (found === undefined) throw new RangeError(`There is no node ${node}`);
    return found;
  };
  try {
    introduce();
    await waitForNodes(urlOf(at(0)), nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get urls() {
      return running.map(urlOf);
    },
    get pids() {
      return running.map(({ child }) => child.pid ?? 0);
    },
    kill: (node) => endNode(at(node)),
    async restart(node) {
      running[node] = await start(names[node] ?? "");
      introduce();
      await waitForNodes(urlOf(at(node)), nodes);
    },
    stop,
  };
}

interface RunningNode {
  readonly child: ChildProcess;
  readonly http: number;
  readonly transport: number;
}

function urlOf({ http }: RunningNode): string {
  return `http://127.0.0.1:${http}`;
}

async function startNode(
  installed: string,
  folder: string,
  name: string,
  names: readonly string[],
  settings: readonly string[],
): Promise<RunningNode> {
  const child = spawn(
    "java",
    [
      "-Xms256m",
      "-Xmx256m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      `-Dlog4j2.configurationFile=${join(installed, "log4j2.properties")}`,
      "-cp",
      [join(installed, "classes"), join(installed, "lib", "*")].join(delimiter),
      "TestNode",
      folder,
      name,
      names.join(","),
      ...settings,
    ],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-20_000);
  });
  const ports = await new Promise<{ http: number; transport: number }>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`${name} did not start: ${log}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  return { child, ...ports };
}

/** Ends the process that was started here, and no other. */
async function endNode({ child }: RunningNode): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

const START_MS = 120_000;

/** Waits until so many nodes are in the cluster and every copy of every shard has a place. */
export async function waitForNodes(url: string, nodes: number, status = "green"): Promise<void> {
  const until = Date.now() + START_MS;
  for (let last = ""; ; ) {
    try {
      const query = `wait_for_nodes=${nodes}&wait_for_status=${status}&timeout=10s`;
      const response = await fetch(`${url}/_cluster/health?${query}`);
      last = await response.text();
      if (response.ok) return;
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > until) throw new Error(`The cluster is not ${status} with ${nodes} nodes: ${last}`);
    await wait(100);
  }
}
