import { codexFormat } from "../../../src/formats/codex/codex-format.ts";
import { checkTwins } from "../../support/format-twins.ts";

checkTwins(codexFormat, 15);
