import { opencode } from "../../../src/agents/opencode/opencode.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(opencode, 13);
