import { codex } from "../../../src/agents/codex/codex.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(codex);
