import { gemini } from "../../../src/agents/gemini/gemini.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(gemini);
