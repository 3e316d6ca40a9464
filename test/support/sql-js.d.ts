declare module "sql.js" {
  interface Database {
    run(sql: string, values?: unknown[]): unknown;
    exec(sql: string): { readonly values: readonly (readonly unknown[])[] }[];
    export(): Uint8Array;
    close(): void;
  }
  const initSqlJs: () => Promise<{ readonly Database: new (file?: Uint8Array) => Database }>;
  export default initSqlJs;
}
