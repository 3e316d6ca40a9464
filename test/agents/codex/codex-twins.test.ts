import { codex } from "../../../src/agents/codex/codex.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(codex, 15);
