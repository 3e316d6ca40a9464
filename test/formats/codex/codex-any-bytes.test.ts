import { codexFormat } from "../../../src/formats/codex/codex-format.ts";
import { checkAnyBytes } from "../../support/format-fuzz.ts";

checkAnyBytes(codexFormat);
