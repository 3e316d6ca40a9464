import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export interface S3Server {
  readonly endpoint: string;
  readonly variables: Readonly<Record<string, string>>;
  makeBucket(name: string): Promise<void>;
  stop(): Promise<void>;
}

const variables = { AWS_ACCESS_KEY_ID: "testing", AWS_SECRET_ACCESS_KEY: "testing-secret" };

const installer = fileURLToPath(new URL("../../remote/s3/install", import.meta.url));

/** Where the environment with moto is; `.ci/run` prepares it. */
const s3Folder: string = process.env.SESSIONS_TEST_S3_FOLDER ?? join(tmpdir(), "sessions-test-s3");

/** The Python that has moto: that of the environment, else the system's, else one in an environment that is made. */
export function pythonWithMoto(): string | undefined {
  const has = (python: string): boolean =>
    spawnSync(python, ["-c", "import moto.server, flask"], { stdio: "ignore" }).status === 0;
  const own = join(s3Folder, "bin", "python");
  const there = [own, "python3"].find(has);
  if (there !== undefined) return there;
  const { status, stderr } = spawnSync(installer, [s3Folder], { encoding: "utf8" });
  if (status === 0) return own;
  console.warn(`moto can't be installed:\n${stderr}`);
  return undefined;
}

/** Starts moto, a server that speaks S3, on a free port of 127.0.0.1. */
export async function startS3(python: string): Promise<S3Server> {
  const port = await freePort();
  const child = spawn(python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], {
    stdio: "ignore",
    env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), ...pythonVariables() },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilUp(endpoint, child);
  return {
    endpoint,
    variables,
    async makeBucket(name) {
      const { AwsClient } = await import("aws4fetch");
      const client = new AwsClient({
        accessKeyId: variables.AWS_ACCESS_KEY_ID,
        secretAccessKey: variables.AWS_SECRET_ACCESS_KEY,
        service: "s3",
        region: "us-east-1",
      });
      const response = await client.fetch(`${endpoint}/${name}`, { method: "PUT" });
      if (!response.ok)
        throw new Error(`cannot make the bucket: ${response.status} ${await response.text()}`);
    },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}

/** Where pyenv keeps its versions, if it is used: its shims need to know. */
function pythonVariables(): Readonly<Record<string, string>> {
  const { PYENV_ROOT, HOME } = process.env;
  const root = PYENV_ROOT ?? (HOME === undefined ? undefined : join(HOME, ".pyenv"));
  return root === undefined ? {} : { PYENV_ROOT: root };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no port")),
      );
    });
  });
}

const POLL_MS = 100;
const MAX_POLLS = 600;

async function untilUp(endpoint: string, child: ChildProcess): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}`);
    try {
      await (await fetch(endpoint)).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  throw new Error("moto does not answer");
}
