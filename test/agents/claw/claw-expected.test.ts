import { claw } from "../../../src/agents/claw/claw.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(claw, 18);
