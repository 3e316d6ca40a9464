import { codex } from "../../../src/agents/codex/codex.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(codex, 15);
