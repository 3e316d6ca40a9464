import { copilot } from "../../../src/agents/copilot/copilot.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(copilot);
