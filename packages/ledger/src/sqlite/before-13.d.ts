declare module 'better-sqlite3-12' {
  import type Sqlite from 'better-sqlite3';

  const same: typeof Sqlite;
  export default same;
}
