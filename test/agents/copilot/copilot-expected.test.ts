import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(copilot, 13);
