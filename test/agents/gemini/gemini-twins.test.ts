import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(gemini, 11);
