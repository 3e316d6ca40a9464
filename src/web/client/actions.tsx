import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../render/words.ts";
import type {
  ArchiveReply,
  ExportAnswer,
  ExportRequest,
  RestoreReply,
  SessionAnswer,
} from "../server/answers.ts";
import { CallError, post } from "./api.ts";
import { Dialog } from "./dialogs.tsx";
import { Icon } from "./icon.tsx";

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

interface ActionsProps {
  readonly session: SessionAnswer;
  readonly onOutline: () => void;
  /** Called when something was done to it. */
  readonly onChanged: () => void;
}

/** The actions for a session. Those that write ask first. */
export function Actions({ session, onOutline, onChanged }: ActionsProps): JSX.Element {
  const [asks, setAsks] = useState<"archive" | "restore" | "export">();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(session.resume);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const close = (): void => {
    if (asks !== "export") onChanged();
    setAsks(undefined);
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => void copy()} title={session.resume}>
        <Icon name="copy" />
        <span role="status">
          {isCopied ? (
            "Copied"
          ) : (
            <>
              Resume<span class="long"> command</span>
            </>
          )}
        </span>
      </button>
      <button type="button" onClick={() => setAsks("export")} title="Export">
        <Icon name="download" />
        <span>Export</span>
      </button>
      {session.state === "kept" ? (
        <button type="button" onClick={() => setAsks("restore")} title="Restore">
          <Icon name="restore" />
          <span>Restore</span>
        </button>
      ) : session.state === "stub" ? null : session.isArchived ? (
        <span class="archived" title="The archive has every byte of its log">
          <Icon name="archive" />
          Archived
        </span>
      ) : (
        <button type="button" onClick={() => setAsks("archive")} title="Archive">
          <Icon name="archive" />
          <span>Archive</span>
        </button>
      )}
      <button
        type="button"
        class="outline-button"
        onClick={onOutline}
        title="Outline (o)"
        aria-label="Outline"
      >
        <Icon name="outline" />
      </button>
      {asks === "archive" ? <ArchiveDialog session={session} onClose={close} /> : null}
      {asks === "restore" ? <RestoreDialog session={session} onClose={close} /> : null}
      {asks === "export" ? <ExportDialog session={session} onClose={close} /> : null}
    </div>
  );
}

interface ActionDialogProps {
  readonly session: SessionAnswer;
  readonly onClose: () => void;
}

/** The state of something that was started in a dialog. */
export type Work =
  | { readonly kind: "asking" }
  | { readonly kind: "working" }
  | { readonly kind: "done"; readonly says: string }
  | { readonly kind: "failed"; readonly error: CallError };

export function useWork(): readonly [Work, (work: () => Promise<string>) => Promise<void>] {
  const [work, setWork] = useState<Work>({ kind: "asking" });
  const start = async (action: () => Promise<string>): Promise<void> => {
    setWork({ kind: "working" });
    try {
      setWork({ kind: "done", says: await action() });
    } catch (error) {
      setWork({
        kind: "failed",
        error: error instanceof CallError ? error : new CallError(String(error), null, 0),
      });
    }
  };
  return [work, start];
}

export function WorkWords({ work }: { readonly work: Work }): JSX.Element | null {
  if (work.kind === "asking") return null;
  if (work.kind === "working") return <p class="loading" role="status" />;
  if (work.kind === "done")
    return (
      <p role="status" class="outcome-words">
        {work.says}
      </p>
    );
  return (
    <p role="alert" class="error">
      {work.error.message}
      {work.error.hint === null ? "" : `. ${work.error.hint}`}
    </p>
  );
}

function ArchiveDialog({ session, onClose }: ActionDialogProps): JSX.Element {
  const [work, start] = useWork();
  const archive = async (): Promise<string> => {
    const { archived, problems } = await post<ArchiveReply>("archive", { key: session.key });
    if (problems[0] !== undefined) throw new CallError(problems[0].what, null, 0);
    return archived > 0 ? "Archived." : "The archive already has every byte of it.";
  };
  return (
    <Dialog title="Archive this session?" onClose={onClose}>
      <p>
        Every byte of its log and a readable copy are kept in the archive, where the agent's clean-up does not
        reach them. The log stays as it is.
      </p>
      <WorkWords work={work} />
      <Buttons work={work} says="Archive" onStart={() => void start(archive)} onClose={onClose} />
    </Dialog>
  );
}

function RestoreDialog({ session, onClose }: ActionDialogProps): JSX.Element {
  const [plan, look] = useWork();
  const [work, start] = useWork();
  const restore = async (dryRun: boolean): Promise<string> => {
    const { sessions, problems } = await post<RestoreReply>("restore", { key: session.key, dryRun });
    const [first] = sessions;
    if (first === undefined || first.outcome === "refused" || first.outcome === "damaged")
      throw new CallError(problems[0]?.what ?? "It can't be restored", null, 0);
    if (first.outcome === "unchanged") return "Its log is already there.";
    const where = first.files[0]?.path ?? "";
    const notes = first.notes.map((note) => `\n${note[0]?.toUpperCase()}${note.slice(1)}.`).join("");
    return `${dryRun ? countOf(first.files.length, "file") : "Restored"}: ${where}${notes}`;
  };
  useEffect(() => void look(() => restore(true)), []);
  return (
    <Dialog title="Restore this session?" onClose={onClose}>
      <p>
        {session.machine === null
          ? "Its log is written back, byte for byte, to where its agent finds it."
          : `Its log on ${session.machine} is written to where its agent finds it here.`}{" "}
        Nothing is overwritten.
      </p>
      {work.kind === "asking" ? <WorkWords work={plan} /> : <WorkWords work={work} />}
      <Buttons
        work={plan.kind === "done" ? work : plan}
        says="Restore"
        onStart={() => void start(() => restore(false))}
        onClose={onClose}
      />
    </Dialog>
  );
}

const formats: readonly (readonly [ExportRequest["format"], string])[] = [
  ["md", "Markdown, for notes and diffs"],
  ["html", "HTML, one page that opens anywhere"],
  ["json", "JSON, for programs"],
];

function ExportDialog({ session, onClose }: ActionDialogProps): JSX.Element {
  const [work, start] = useWork();
  const [format, setFormat] = useState<ExportRequest["format"]>("md");
  const save = async (): Promise<string> => {
    const { name, type, text } = await post<ExportAnswer>("export", { key: session.key, format });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return `Saved as ${name}.`;
  };
  return (
    <Dialog title="Export this session?" onClose={onClose}>
      <p>One file with the whole conversation; secrets are masked.</p>
      <fieldset>
        <legend>Format</legend>
        {formats.map(([value, says]) => (
          <label key={value}>
            <input type="radio" name="format" checked={format === value} onChange={() => setFormat(value)} />{" "}
            {says}
          </label>
        ))}
      </fieldset>
      <WorkWords work={work} />
      <Buttons work={work} says="Export" onStart={() => void start(save)} onClose={onClose} />
    </Dialog>
  );
}

interface ButtonsProps {
  readonly work: Work;
  readonly says: string;
  readonly onStart: () => void;
  readonly onClose: () => void;
}

export function Buttons({ work, says, onStart, onClose }: ButtonsProps): JSX.Element {
  const isOver = work.kind === "done" || work.kind === "failed";
  return (
    <p class="buttons">
      <button type="button" onClick={onClose}>
        {isOver ? "Close" : "Cancel"}
      </button>
      {isOver ? null : (
        <button type="button" class="main" disabled={work.kind === "working"} onClick={onStart}>
          {says}
        </button>
      )}
    </p>
  );
}
