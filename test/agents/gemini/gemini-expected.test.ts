import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { checkExpected } from "../../support/check-expected.ts";

checkExpected(gemini, 11);
