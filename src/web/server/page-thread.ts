import { type ExitCode, UserError } from "../../index.ts";
import type { RunCall } from "./page-calls.ts";

/** Another thread, with the methods that are used here. */
interface Thread {
  post(message: unknown): void;
  onMessage(receive: (message: unknown) => void): void;
  readonly ended: Promise<void>;
}

/** A call for the thread. */
export interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

/** The thread's answer. Errors lose their class on the way, so their parts are sent. */
export type AnswerMessage = { readonly id: number } & (
  | { readonly answer: string }
  | {
      readonly error: {
        readonly message: string;
        readonly hint: string | undefined;
        /** undefined: it is a bug. */
        readonly exitCode: ExitCode | undefined;
        readonly stack: string | undefined;
      };
    }
);

/**
 * Sends calls to another thread, one after the other: reading a long log there does not delay a search here. The
 * thread is started with the first call, and again if it has failed.
 */
export function callsInThread(start: () => Thread): RunCall {
  let thread: Thread | undefined;
  let lastId = 0;
  const waiting = new Map<number, { resolve(answer: string): void; reject(error: unknown): void }>();

  const startThread = (): Thread => {
    const started = start();
    started.onMessage((message) => {
      const answer = message as AnswerMessage;
      const call = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ("answer" in answer) call?.resolve(answer.answer);
      else call?.reject(errorOf(answer.error));
    });
    const end = (error: unknown): void => {
      thread = undefined;
      for (const call of waiting.values()) call.reject(error);
      waiting.clear();
    };
    started.ended.then(() => end(new Error("The thread that reads logs has ended")), end);
    return started;
  };

  return (name, args) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      thread ??= startThread();
      thread.post({ id, name, args } satisfies CallMessage);
    });
}

function errorOf({
  message,
  hint,
  exitCode,
  stack,
}: Extract<AnswerMessage, { error: object }>["error"]): Error {
  if (exitCode !== undefined)
    return new UserError(message, { exitCode, ...(hint === undefined ? {} : { hint }) });
  return Object.assign(new Error(message), { stack });
}

/** The other end: runs the calls in order. */
export function answerCalls(
  open: () => Promise<RunCall>,
  post: (message: AnswerMessage) => void,
): (message: unknown) => void {
  let run: RunCall | undefined;
  let last: Promise<void> = Promise.resolve();
  const answer = async ({ id, name, args }: CallMessage): Promise<void> => {
    try {
      // If this fails, the next call tries again: the settings may be valid by then.
      run ??= await open();
      post({ id, answer: await run(name, args) });
    } catch (error) {
      post({ id, error: partsOf(error) });
    }
  };
  return (message) => {
    last = last.then(() => answer(message as CallMessage));
  };
}

function partsOf(error: unknown): Extract<AnswerMessage, { error: object }>["error"] {
  if (error instanceof UserError) {
    const { message, hint, exitCode } = error;
    return { message, hint, exitCode, stack: undefined };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { message, hint: undefined, exitCode: undefined, stack };
}

/** Calls that read no log. */
const quickCalls: ReadonlySet<string> = new Set(["search", "list", "teams"]);

/** Runs quick calls in this thread, which has nothing else to do; all others may take long. */
export function quickHere(here: RunCall, elsewhere: RunCall): RunCall {
  return (name, args) => (quickCalls.has(name) ? here(name, args) : elsewhere(name, args));
}
