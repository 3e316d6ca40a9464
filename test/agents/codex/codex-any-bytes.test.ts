import { codexFormat } from "../../../src/agents/codex/codex.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(codexFormat);
