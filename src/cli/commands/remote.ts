import {
  type AddedRemote,
  exitCodes,
  type ListedRemote,
  type Remote,
  type RemoteKeys,
  remotesOf,
  UserError,
} from "../../index.ts";
import { isoTime } from "../../render/json/session-json.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { relativeDate } from "../output/dates.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";
import { warnOfSharedName } from "./sync.ts";

export const command: Command = defineCommand({
  description:
    "Manages remotes: places outside of this machine. `s3://BUCKET/PREFIX` (any S3-compatible store) and " +
    "folders (a network drive, Syncthing, a mounted disk) hold the sessions of your machines, encrypted; " +
    "`https://HOST:PORT` is an OpenSearch cluster that a team searches.\n\n" +
    "Credentials come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), or from a file that " +
    "only you can read, with `name = value` lines as in ~/.aws/credentials. `remove` takes a remote off the " +
    "list; its content is not deleted.\n\n" +
    "The first machine that adds a place creates a repository there, with a random key. A machine that adds " +
    "it later shows its recipient; `key NAME --add RECIPIENT` on a machine that has access admits it. `key` " +
    "shows the fingerprint of the repository and lists the machines that have access: each of them can read " +
    "everything. If another repository ever takes its place, it is refused.",
  examples: [
    {
      line: "sessions remote add home s3://my-bucket/sessions --region eu-central-1",
      says: "an object store",
    },
    { line: "sessions remote add nas /mnt/nas/sessions", says: "a folder that your machines share" },
    { line: "sessions remote list", says: "what was added" },
    {
      line: "sessions remote key nas",
      says: "which repository it is, this machine's recipient, and who can read",
    },
    { line: "sessions remote key nas --add age1…", says: "admit another machine" },
    { line: "sessions remote remove nas", says: "take it off the list" },
  ],
  positionals: [
    { name: "action", description: "what to do", choices: ["add", "list", "remove", "key"] },
    { name: "name", description: "the name of the remote", optional: true, values: "remote" },
    {
      name: "url",
      description: "with add: s3://BUCKET/PREFIX, a folder, or https://HOST:PORT",
      optional: true,
      values: "file",
    },
  ],
  flags: {
    endpoint: {
      type: "string",
      placeholder: "URL",
      description: "with s3://: where the store is, if it is not Amazon's",
    },
    region: { type: "string", placeholder: "NAME", description: "with s3://: the region of the bucket" },
    credentials: {
      type: "string",
      placeholder: "FILE",
      values: "file",
      description: "read credentials from this file, which must have mode 0600",
    },
    add: {
      type: "string",
      placeholder: "RECIPIENT",
      description: "with key: let this age recipient read, too",
    },
  },
  async run({ flags, positionals }, world) {
    const [action = "", name, url] = positionals;
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const remotes = remotesOf(history);
    const { endpoint, region, credentials } = flags;
    if (action === "list") {
      const all = history.mask(await remotes.list());
      if (flags.json)
        printJson(world, {
          remotes: all.map((each) => ({ ...remoteJson(each), lastSyncAt: isoTime(each.lastSyncAt) })),
        });
      else world.stdout.write(formatRemotes(all, world));
      return exitCodes.done;
    }
    if (action === "key") {
      const keys = await remotes.key(name, { add: flags.add });
      if (keys.isNameShared) warnOfSharedName(keys.machine, world);
      if (flags.json) printJson(world, keysJson(keys));
      else world.stdout.write(formatKeys(keys, world));
      return exitCodes.done;
    }
    if (name === undefined || (action === "add" && url === undefined)) {
      throw new UserError(
        `Cannot ${action} a remote without ${name === undefined ? "a name" : "an address"}`,
        {
          exitCode: exitCodes.wrongUsage,
          hint: action === "add" ? "sessions remote add NAME URL" : "sessions remote remove NAME",
        },
      );
    }
    if (url === undefined || action === "remove") {
      const remote = history.mask(await remotes.remove(name));
      if (flags.json) printJson(world, { action, remote: remoteJson(remote) });
      else
        world.stdout.write(
          `Removed ${sanitize(remote.name)}: ${sanitize(remote.url)}; its content is not deleted\n`,
        );
      return exitCodes.done;
    }
    const added = await remotes.add({
      name,
      url,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      ...(credentials === undefined ? {} : { credentials }),
    });
    const { remote, repository, recipient } = { ...added, remote: history.mask(added.remote) };
    if (added.remote.kind === "opensearch" && added.remote.url.split(",").some(isInTheClear)) {
      const { yellow } = createStyle(world.stderr.hasColor);
      const what =
        "http:// carries the password and all texts readably over the network; use https:// if there is one";
      world.stderr.write(`${yellow("sessions:")} ${what}\n`);
    }
    if (flags.json) printJson(world, { action, remote: remoteJson(remote), repository, recipient });
    else world.stdout.write(formatAdded({ remote, repository, recipient }));
    return exitCodes.done;
  },
});

/** Whether data sent to an address can be read in transit. */
function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Says what was added, and what to do next. */
function formatAdded({ remote, repository, recipient }: AddedRemote): string {
  const name = sanitize(remote.name);
  const added = `Added ${name}: ${sanitize(remote.url)}\n`;
  switch (repository) {
    case null:
      return `${added}Next: sessions push ${name}\n`;
    case "created":
      return `${added}A new repository was made there. Next: sessions archive && sessions sync ${name}\n`;
    case "joined":
      return `${added}This machine can read the repository there. Next: sessions sync ${name}\n`;
    case "no access":
      return (
        `${added}There is a repository, which this machine can't read yet. On a machine that can, run\n\n` +
        `  sessions remote key ${name} --add ${recipient}\n\nThen here: sessions sync ${name}\n`
      );
  }
}

function keysJson({ remote, fingerprint, recipient, recipients, added }: RemoteKeys): object {
  return {
    remote: remote.name,
    fingerprint: readable(fingerprint),
    recipient,
    recipients: recipients.map((each) => ({
      recipient: each.recipient,
      machine: each.machine,
      thisMachine: each.isThis,
    })),
    added,
  };
}

/** 128 bits of a fingerprint, as people compare them. */
function readable(fingerprint: string): string {
  return (fingerprint.match(/.{8}/g) ?? []).slice(0, 4).join(" ");
}

function formatKeys({ remote, fingerprint, recipients, added }: RemoteKeys, world: World): string {
  const { bold, dim } = createStyle(world.stdout.hasColor);
  const name = sanitize(remote.name);
  const done =
    added === null
      ? ""
      : added
        ? `Added: it can read everything there now. Before its first sync, \`sessions remote key ${name}\` there must show\nthe same repository as here.\n`
        : "It had access already; its key was written again.\n";
  const heading = `Repository ${bold(readable(fingerprint))}\nThese can read ${name}:\n`;
  const lines = recipients.map((each) => {
    const who = each.isThis ? "this machine" : (each.machine ?? "has not synced yet");
    return `  ${bold(sanitize(each.recipient))}  ${dim(sanitize(who))}\n`;
  });
  return `${done}${heading}${lines.join("")}`;
}

function remoteJson({ name, kind, url, ...options }: Remote): object {
  const { endpoint = null, region = null, credentials = null } = options;
  return { name, kind, url, endpoint, region, credentials };
}

const kindNames: Readonly<Record<Remote["kind"], string>> = {
  s3: "object store",
  folder: "folder",
  opensearch: "OpenSearch",
};

function formatRemotes(remotes: readonly ListedRemote[], world: World): string {
  const { bold, dim } = createStyle(world.stdout.hasColor);
  if (remotes.length === 0)
    return `${wrapMessage("There are no remotes. Add one: `sessions remote add NAME URL`", world.stdout.columns)}\n`;
  return formatTable(
    remotes,
    [
      { text: ({ name }) => name, style: bold },
      { text: ({ kind }) => kindNames[kind], style: dim },
      {
        text: ({ url, endpoint }) => (endpoint === undefined ? url : `${url} at ${endpoint}`),
        shrinkTo: 20,
        cut: "middle",
      },
      { text: (remote) => syncedText(remote, world), style: dim },
    ],
    { width: world.stdout.columns },
  );
}

function syncedText({ kind, lastSyncAt }: ListedRemote, world: World): string {
  const what = kind === "opensearch" ? "pushed" : "synced";
  return lastSyncAt === null ? `never ${what}` : `${what} ${relativeDate(lastSyncAt, world)}`;
}
