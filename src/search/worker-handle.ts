/** Another thread that works for this one. */
export interface WorkerHandle {
  post(message: unknown): void;
  /** One at a time: the last one given is told. */
  onMessage(receive: (message: unknown) => void): void;
  /** When it has ended; rejected where it failed. */
  readonly ended: Promise<void>;
  /** Lets it end once it has done what it was given. */
  finish(): void;
  /** Ends it wherever it is. */
  terminate(): Promise<void>;
}

export type StartWorker = (task: string, data: unknown) => WorkerHandle;
