import { openGatewayDb } from '@subluminal/gateway';
import { ANOMALY_TABLES } from '@subluminal/anomaly';
import { APPROVALS_TABLES } from '@subluminal/approvals';
import { NET_TABLES } from '@subluminal/net';
import { PROXY_TABLES } from '@subluminal/proxy';
import { HTTP_TABLES } from '@subluminal/remote';
import { SERVICES_TABLES } from '@subluminal/services';
import { TOOLS_TABLES } from '@subluminal/tools';
import type { Database } from 'better-sqlite3';

/** Opens `gateway.db` with the tables of the core and of every wing. Throws as `openGatewayDb`. */
export function openHomeDatabase(path: string): Database {
  return openGatewayDb(path, [
    ANOMALY_TABLES,
    APPROVALS_TABLES,
    NET_TABLES,
    SERVICES_TABLES,
    TOOLS_TABLES,
    PROXY_TABLES,
    HTTP_TABLES,
  ]);
}
