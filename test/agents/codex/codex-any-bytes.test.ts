import { codexFormat } from "../../../src/agents/codex/codex-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(codexFormat);
