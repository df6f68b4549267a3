import { type Authority, basic, sendJson, serve, type Served } from './https.js';

/** The account set of the example in https://www.simplefin.org/protocol.html, and one more account. */
export const ACCOUNT_SET = {
  errlist: [
    {
      code: 'con.auth',
      msg: 'Authentication failed for My Bank - Jim',
      conn_id: 'CON-21983498-29349823984293842',
    },
  ],
  connections: [
    {
      conn_id: 'CON-1122121298398234234',
      name: 'My Bank - Jill',
      org_id: 'INST-1298391823-129381928391823',
      sfin_url: 'https://sfin.mybank.com',
    },
  ],
  accounts: [
    {
      id: '2930002',
      name: 'Savings',
      conn_id: 'CON-1122121298398234234',
      currency: 'USD',
      balance: '100.23',
      'available-balance': '75.23',
      'balance-date': 978366153,
      transactions: [
        {
          id: '12394832938403',
          posted: 793090572,
          amount: '-33293.43',
          description: "Uncle Frank's Bait Shop",
        },
        { id: '12394832938404', posted: 0, amount: '12.00', description: 'On its way', pending: true },
      ],
      extra: { 'account-open-date': 978360153 },
    },
    {
      id: '2930003',
      name: 'Miles',
      conn_id: 'CON-1122121298398234234',
      currency: 'https://www.example.com/flight-miles',
      balance: '0.1000000000000000000001',
      'balance-date': 978366153,
      transactions: [{ id: '1', posted: 893090572, amount: '5', description: 'Flight' }],
    },
  ],
};

export const USER = 'user1234';
export const PASSWORD = 'pass 456/%word';

/** What a person copies from the page of a SimpleFIN server: a claim URL in base64. */
export function setupToken(port: number, id: string): string {
  return Buffer.from(`https://bank.test:${port}/simplefin/claim/${id}`).toString('base64');
}

/**
 * A SimpleFIN server after the protocol: basic credentials, accounts and dates as asked. Every claim gives
 * the access URL, once; `claims` are those that came.
 */
export async function simplefin(
  authority: Authority,
): Promise<Served & { readonly accessUrl: string; readonly claims: string[] }> {
  const claims: string[] = [];
  const served = await serve(authority, ({ method, url, headers }, response) => {
    const at = new URL(url, 'https://bank.test');
    const claim = method === 'POST' ? /^\/simplefin\/claim\/(\w+)$/.exec(at.pathname)?.[1] : undefined;
    if (claim !== undefined) {
      claims.push(claim);
      if (claims.indexOf(claim) === claims.length - 1) response.end(`${accessUrl}\n`);
      else response.writeHead(403).end();
    } else if (headers.authorization !== basic(USER, PASSWORD)) response.writeHead(403).end('Forbidden');
    else if (method === 'GET' && at.pathname === '/simplefin/accounts') {
      const [wanted, from] = [
        at.searchParams.getAll('account'),
        Number(at.searchParams.get('start-date') ?? 0),
      ];
      const accounts = ACCOUNT_SET.accounts
        .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
        .map((account) => ({
          ...account,
          transactions: account.transactions.filter(({ posted }) => posted === 0 || posted >= from),
        }));
      sendJson(response, { ...ACCOUNT_SET, accounts });
    } else response.writeHead(404).end();
  });
  const accessUrl = `https://${USER}:${encodeURIComponent(PASSWORD)}@bank.test:${served.port}/simplefin`;
  return Object.assign(served, { accessUrl, claims });
}
