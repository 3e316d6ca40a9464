/** Another thread that works for this one. */
export interface WorkerHandle {
  post(message: unknown): void;
  /** Replaces the receiver: only the last one is called. */
  onMessage(receive: (message: unknown) => void): void;
  /** Resolves when it has ended; rejects if it failed. */
  readonly ended: Promise<void>;
  /** Lets it end once it has handled all messages. */
  finish(): void;
  /** Ends it at once. */
  terminate(): Promise<void>;
}

export type StartWorker = (task: string, data: unknown) => WorkerHandle;
