import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(copilot, 13);
