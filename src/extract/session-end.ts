import type { Session, Step, ToolCall, Turn } from "../session/session.ts";

/** How a session ended. */
export interface SessionEnd {
  /** The number of the last turn; null if there is none. */
  readonly turn: number | null;
  /** The request of that turn; a command without arguments if there was nothing else. */
  readonly request: string | undefined;
  /** The agent's last words, after its last tool call. Empty if it was cut off. */
  readonly replies: readonly string[];
  /**
   * Why the last request has no answer. `stopped`: the user or an error stopped the agent; `unanswered`: it said
   * nothing more; `running`: the log ends in the middle of a tool call.
   */
  readonly cutOff: "stopped" | "unanswered" | "running" | undefined;
  /** The last words before it was cut off. */
  readonly announced: string | undefined;
  /** A tool's question to the user at the end, without an answer. */
  readonly questions: readonly string[];
}

/** Steps that say how a turn ended. */
type EndStep = Extract<Step, { readonly kind: "reply" | "thinking" | "tool" | "note" }>;

/** Finds the last turn of the conversation, and how it ended. */
export function endOf(session: Session): SessionEnd {
  const turn = session.turns.findLast(isOfConversation);
  const all = turn?.steps ?? (session.turns.length === 0 ? session.preamble : []);
  const steps = all.filter(isOfEnd);
  const closing = steps.slice(
    steps.findLastIndex((step) => step.kind === "tool" && !keepsList(step.call)) + 1,
  );
  const cutOff = whyCutOff(all, steps, closing);
  return {
    turn: turn?.number ?? null,
    request: turn?.request.trim() === "" ? undefined : (turn?.request ?? commandIn(all)),
    replies: cutOff === undefined ? textsOf(closing) : [],
    cutOff,
    announced: cutOff === undefined ? undefined : textsOf(steps).at(-1),
    questions: unansweredQuestions(steps),
  };
}

/** A shell line of the user has no answer, and an abandoned branch is not the end. */
function isOfConversation({ context, via, steps }: Turn): boolean {
  return context !== "branch" && (via !== "bash" || steps.some(({ kind }) => kind === "reply"));
}

function isOfEnd(step: Step): step is EndStep {
  if (step.context === "branch") return false;
  switch (step.kind) {
    case "reply":
      return step.text.trim() !== "";
    case "thinking":
    case "tool":
      return true;
    case "note":
      return step.about === "interrupt" || step.about === "error";
    case "summary":
      return false;
  }
}

/** Agents often tick off their list after their last words. */
function keepsList({ isWork, result }: ToolCall): boolean {
  return isWork === true && result !== undefined;
}

function whyCutOff(
  all: readonly Step[],
  steps: readonly EndStep[],
  closing: readonly EndStep[],
): SessionEnd["cutOff"] {
  const after = closing.slice(closing.findLastIndex(isAnswer) + 1);
  if (after.some((step) => step.kind === "note" || (step.kind === "reply" && step.isError))) return "stopped";
  // The user may have gone back to before the answer.
  if (all.some((step) => step.kind === "reply" && step.context === "branch")) return undefined;
  if (closing.some(isAnswer) && after.every(({ kind }) => kind === "tool")) return undefined;
  const last = steps.at(-1);
  if (last?.kind !== "tool") return "unanswered";
  // It changed a file and had nothing to add.
  const { result, files } = last.call;
  const isDone = result?.isError === false && files.some(({ mode }) => mode === "write");
  return isDone ? undefined : "running";
}

function isAnswer(step: EndStep): boolean {
  return step.kind === "reply" && !step.isError;
}

/** The end of a reply is in its last part, however long that is. */
const REPLY_CHARS = 200_000;

function textsOf(steps: readonly EndStep[]): readonly string[] {
  return steps.flatMap((step) =>
    step.kind === "reply" && !step.isError ? [step.text.slice(-REPLY_CHARS)] : [],
  );
}

/** The command that started the work of a session without requests. */
function commandIn(steps: readonly Step[]): string | undefined {
  const command = steps.findLast((step) => step.kind === "note" && step.about === "command");
  return command?.kind === "note" ? command.text : undefined;
}

function unansweredQuestions(steps: readonly EndStep[]): readonly string[] {
  const last = steps.findLast(({ kind }) => kind === "tool" || kind === "reply");
  if (last?.kind !== "tool" || (last.call.result !== undefined && !last.call.result.isError)) return [];
  return last.call.questions ?? [];
}
