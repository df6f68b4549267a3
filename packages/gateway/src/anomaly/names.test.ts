import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomLetters } from './random-letters.js';
import { NAME_LETTERS, NAMES_WINDOW_MS, RUN_NAMES, RunNames, SUFFIX_NAMES } from './tunnelled-name.js';

/**
 * Names of the kinds that programs really connect to: registries, clouds, CDNs, buckets, generated hosts,
 * other scripts. Accounts are made up.
 */
const ORDINARY_NAMES: readonly string[] = `
registry.npmjs.org registry.yarnpkg.com github.com api.github.com codeload.github.com raw.githubusercontent.com objects.githubusercontent.com
github-releases.githubusercontent.com pkg-containers.githubusercontent.com production.cloudflare.docker.com auth.docker.io registry-1.docker.io
files.pythonhosted.org pypi.org crates.io static.crates.io index.crates.io proxy.golang.org sum.golang.org storage.googleapis.com
repo.maven.apache.org plugins.gradle.org rubygems.org packagist.org api.nuget.org globalcdn.nuget.org deb.debian.org security.debian.org
archive.ubuntu.com ports.ubuntu.com dl-cdn.alpinelinux.org mirror.archlinuxarm.org download.opensuse.org api.anthropic.com statsig.anthropic.com
api.openai.com chatgpt.com generativelanguage.googleapis.com huggingface.co cdn-lfs.huggingface.co cdn-lfs-us-1.huggingface.co cas-bridge.xethub.hf.co
developer.mozilla.org nodejs.org docs.python.org doc.rust-lang.org docs.rs stackoverflow.com en.wikipedia.org de.wikipedia.org upload.wikimedia.org
d111111abcdef8.cloudfront.net d2h5b1x0qk3z7v.cloudfront.net d3k81ch9hvuctc.cloudfront.net dxg4kz9q2v1pn.cloudfront.net d36cz9buwru1tt.cloudfront.net
my-company-prod-assets.s3.amazonaws.com my-company-prod-assets.s3.us-east-1.amazonaws.com logs-2026-11-21-archive.s3.eu-central-1.amazonaws.com
elasticbeanstalk-us-east-1-123456789012.s3.amazonaws.com cdk-hnb659fds-assets-123456789012-eu-west-1.s3.eu-west-1.amazonaws.com
aws-sam-cli-managed-default-samclisourcebucket-1a2b3c4d5e6f7.s3.amazonaws.com prod-registry-k8s-io-us-east-1.s3.dualstack.us-east-1.amazonaws.com
prod-us-east-1-starport-layer-bucket.s3.us-east-1.amazonaws.com 123456789012.dkr.ecr.us-east-1.amazonaws.com api.ecr.us-east-1.amazonaws.com
ec2-203-0-113-25.compute-1.amazonaws.com ec2-198-51-100-7.eu-central-1.compute.amazonaws.com ip-10-0-12-34.ec2.internal
internal-k8s-default-ingress-0a1b2c3d4e-1234567890.us-west-2.elb.amazonaws.com a1b2c3d4e5f6g7h8i9j0-1234567890.us-east-1.elb.amazonaws.com
k8s-kubesyst-awsloadb-4f1a2b3c4d-9e8f7a6b5c4d3e2f.elb.eu-west-1.amazonaws.com a1b2c3d4e5.execute-api.us-east-1.amazonaws.com
a1b2c3d4e5-vpce-0123456789abcdef0.execute-api.us-east-1.amazonaws.com vpce-0a1b2c3d4e5f67890-abcd1234.s3.us-east-1.vpce.amazonaws.com
0A1B2C3D4E5F60718293A4B5C6D7E8F9.gr7.us-east-1.eks.amazonaws.com mydb.c9akciq32rgr.us-east-1.rds.amazonaws.com
mycluster.cluster-c9akciq32rgr.us-east-1.rds.amazonaws.com my-redis.abc123.0001.use1.cache.amazonaws.com
search-logs-kq3x5vz7y2m4n6p8r0t1w9abcd.us-east-1.es.amazonaws.com vpc-my-production-logs-kq3x5vz7y2m4n6p8r0t1w9abcd.eu-west-1.es.amazonaws.com
kq3x5vz7y2m4n6p8r0t1w9abcdefghij.lambda-url.us-east-1.on.aws z4xq7m2k9p1v8t6r3w5y0bcdfghjlnsa.lambda-url.eu-central-1.on.aws
cognito-idp.us-east-1.amazonaws.com bedrock-runtime.us-east-1.amazonaws.com sts.amazonaws.com oidc.eks.us-east-1.amazonaws.com
3f2504e04f8911d39a0c0305e82c3301.r2.cloudflarestorage.com my-bucket.3f2504e04f8911d39a0c0305e82c3301.r2.cloudflarestorage.com pub-3f2504e04f8911d39a0c0305e82c3301.r2.dev
8f3a2b1c.my-project.pages.dev my-worker.my-team.workers.dev hidden-silver-cheap-lemon.trycloudflare.com challenges.cloudflare.com
3f2504e0-4f89-11d3-9a0c-0305e82c3301.azurewebsites.net 3f2504e0-4f89-11d3-9a0c-0305e82c3301.cfargotunnel.com
mystorageaccount01.blob.core.windows.net md-hdd-4kq3x5vz7y2m.z12.blob.storage.azure.net myregistry.azurecr.io
3f2504e0-4f89-11d3-9a0c-0305e82c3301.ods.opinsights.azure.com my-aks-dns-4f1a2b3c.hcp.westeurope.azmk8s.io my-openai-resource.openai.azure.com
login.microsoftonline.com graph.microsoft.com dev.azure.com vsrm.dev.azure.com pkgs.dev.azure.com marketplace.visualstudio.com update.code.visualstudio.com
vscode-sync.trafficmanager.net az764295.vo.msecnd.net gallerycdn.vsassets.io dc.services.visualstudio.com vortex.data.microsoft.com
rr3---sn-4g5e6nsz.googlevideo.com r4---sn-h0jeln7e.googlevideo.com lh3.googleusercontent.com ssl.gstatic.com fonts.googleapis.com
123456789012-k3x5vz7y2m4n6p8r0t1w9abcdefghij2.apps.googleusercontent.com my-service-k3x5vz7y2m-uc.a.run.app my-service-123456789012.europe-west1.run.app
us-central1-docker.pkg.dev europe-west3-docker.pkg.dev my-project-123456.appspot.com my-project-123456.uc.r.appspot.com my-project-default-rtdb.firebaseio.com
my-project-123456.firebaseapp.com us-central1-my-project-123456.cloudfunctions.net oauth2.googleapis.com www.googleapis.com play.googleapis.com
my-project-git-feature-branch-my-team.vercel.app my-project-8f3kd92ka-my-team.vercel.app deploy-preview-142--my-site.netlify.app 64f1a2b3c4d5e6f7a8b9c0d1--my-site.netlify.app
fuzzy-space-disco-7v9qxw5p4rx2r6w-3000.app.github.dev 3f2a-203-0-113-7.ngrok-free.app abc123def456.ngrok.io my-app-production-4f1a.up.railway.app
my-app.fly.dev my-app-4f1a2b3c4d5e.herokuapp.com my-app.onrender.com my-space.hf.space my-user--my-app-serve-dev.modal.run
k3x5vz7y2m4n6p8r.supabase.co db.k3x5vz7y2m4n6p8r0t1w.supabase.co aws-0-eu-central-1.pooler.supabase.com ep-cool-darkness-123456.us-east-2.aws.neon.tech
cluster0.k3x5v.mongodb.net cluster0-shard-00-00.k3x5v.mongodb.net my-index-8f3kd92.svc.us-east1-gcp.pinecone.io 4f1a2b3c4d5e6f708192a3b4c5d6e7f8.us-central1.gcp.cloud.es.io
o123456.ingest.sentry.io o4504567890123456.ingest.us.sentry.io browser-intake-datadoghq.com http-intake.logs.datadoghq.eu api.segment.io api.honeycomb.io
abcdef1234-dsn.algolia.net latency-dsn.algolia.net dev-4f1a2b3c.us.auth0.com my-team.okta.com clerk.k3x5vz.lcl.dev my-org.my.salesforce.com
xy12345.eu-central-1.snowflakecomputing.com dbc-4f1a2b3c-4d5e.cloud.databricks.com adb-1234567890123456.7.azuredatabricks.net pkc-4f1a2.us-east-1.aws.confluent.cloud
e1234.dscb.akamaiedge.net a1234.dscw154.akamai.net e8218.dscb1.akamaiedge.net www-amazon-com.customer.fastly.net dualstack.python.map.fastly.net
j.sni.global.fastly.net prod.fastly-edge.com cdnjs.cloudflare.com cdn.jsdelivr.net unpkg.com esm.sh deno.land jsr.io
xn--bcher-kva.example xn--mnchen-3ya.de xn--fiqs8s.xn--fiqs8s xn--80ak6aa92e.com xn--d1acufc.xn--p1ai xn--zckzah.jp xn--vermgensberatung-pwb.de xn--rdgrd-med-flde-vjb2qzb.example
www.gov.uk assets.publishing.service.gov.uk www.bbc.co.uk news.ycombinator.com www.ncbi.nlm.nih.gov export.arxiv.org rest.ensembl.org
llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch.co.uk donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbau.de
hooks.slack.com wss-primary.slack.com files.slack.com discord.com gateway-us-east1-b.discord.gg cdn.discordapp.com api.telegram.org api.twilio.com
imap.gmail.com smtp.gmail.com outlook.office365.com imap.mail.me.com p123-caldav.icloud.com caldav.fastmail.com beta-bridge.simplefin.org
1-2-3-4.sslip.io 192-0-2-10.my-network.nip.io desktop-4f1a2b.tail1a2b3c.ts.net printer.local vault.service.consul
time.apple.com gateway.fe2.apple-dns.net mesu.apple.com ocsp.digicert.com r3.o.lencr.org e5.o.lencr.org crl3.digicert.com acme-v02.api.letsencrypt.org
`
  .trim()
  .split(/\s+/)
  .map((name) => name.toLowerCase());

const ALPHABETS = {
  hex: '0123456789abcdef',
  base32: 'abcdefghijklmnopqrstuvwxyz234567',
  base36: 'abcdefghijklmnopqrstuvwxyz0123456789',
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
} as const;

/** A generator of numbers that is the same in every process (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function payload(alphabet: string, length: number, random: () => number): string {
  const letters = Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length)));
  return letters.join('').toLowerCase();
}

/** How many of 1,000 names with one label of that length are flagged by themselves. */
function flagged(alphabet: string, length: number): number {
  const random = numbers(length);
  let count = 0;
  for (let at = 0; at < 1000; at += 1)
    if (new RunNames(1).ask(`${payload(alphabet, length, random)}.t.example.com`, 0) !== undefined)
      count += 1;
  return count;
}

/** After how many names of that length a run is flagged, in the worst of 20 runs. */
function namesUntilFlagged(alphabet: string, length: number): number {
  let most = 0;
  for (let run = 0; run < 20; run += 1) {
    const names = new RunNames(run);
    const random = numbers(run + 1);
    let count = 1;
    while (names.ask(`${payload(alphabet, length, random)}.t.example.com`, 0) === undefined) count += 1;
    most = Math.max(most, count);
  }
  return most;
}

describe('ordinary names', () => {
  it('are never taken for a tunnel, one by one or all of them in one run', () => {
    const run = new RunNames(1);
    for (const name of ORDINARY_NAMES) {
      expect([name, new RunNames(1).ask(name, 0)]).toEqual([name, undefined]);
      expect([name, run.ask(name, 0)]).toEqual([name, undefined]);
    }
    expect(ORDINARY_NAMES.length).toBeGreaterThan(220);
  });

  it('stay below the limit of one name by a seventh', () => {
    const worst = Math.max(
      ...ORDINARY_NAMES.map((name) => name.split('.').reduce((sum, label) => sum + randomLetters(label), 0)),
    );
    expect(worst).toBeLessThanOrEqual((NAME_LETTERS * 6) / 7);
  });

  it('may be asked for again without end', () => {
    const run = new RunNames(1);
    for (let count = 0; count < 5000; count += 1)
      expect(run.ask('3f2504e04f8911d39a0c0305e82c3301.r2.cloudflarestorage.com', count)).toBeUndefined();
  });
});

describe('names that carry data', () => {
  it.each([
    ['hex', 980],
    ['base32', 950],
    ['base36', 980],
    ['base64url', 900],
  ] as const)(
    'in %s are flagged by themselves where a label is full, and nearly all of them',
    (kind, least) => {
      expect(flagged(ALPHABETS[kind], 63)).toBeGreaterThanOrEqual(least);
      expect(flagged(ALPHABETS[kind], 32)).toBe(0);
    },
  );

  it.each(['hex', 'base32', 'base36', 'base64url'] as const)(
    'in %s are flagged together, the shorter their labels the later',
    (kind) => {
      const counts = [32, 16, 8].map((length) => namesUntilFlagged(ALPHABETS[kind], length));
      expect(counts).toEqual([...counts].toSorted((a, b) => a - b));
      expect(counts.map((count, at) => count <= ([20, 45, SUFFIX_NAMES][at] ?? 0))).toEqual([
        true,
        true,
        true,
      ]);
    },
  );

  it('are flagged once a suffix, with what was counted', () => {
    const run = new RunNames(1);
    const random = numbers(3);
    const name = `${payload(ALPHABETS.hex, 63, random)}.t.example.com`;
    expect(run.ask(name, 0)).toMatchObject({
      kind: 'tunnelled_name',
      facts: { suffix: 'example.com', names: 1, scope: 'name', name },
    });
    expect(run.ask(`${payload(ALPHABETS.hex, 63, random)}.t.example.com`, 0)).toBeUndefined();
    expect(run.ask(`${payload(ALPHABETS.hex, 63, random)}.t.example.org`, 0)).toBeDefined();
  });

  it('are flagged where they are spread over more suffixes than are remembered', () => {
    const run = new RunNames(1);
    const random = numbers(5);
    const found = [];
    for (let count = 0; count < 500; count += 1)
      found.push(run.ask(`${payload(ALPHABETS.base32, 30, random)}.evil${count}.example`, 0));
    expect(found.filter((one) => one !== undefined)).toMatchObject([{ facts: { scope: 'run' } }]);
  });

  it('are flagged where others in between have what was counted forgotten', () => {
    const run = new RunNames(1);
    const random = numbers(6);
    const found = [];
    for (let count = 0; count < RUN_NAMES; count += 1) {
      found.push(run.ask(`${payload(ALPHABETS.base32, 8, random)}.t.example.com`, 0));
      if (count % 150 === 0)
        for (let other = 0; other < 130; other += 1) found.push(run.ask(`www.site${other}.example`, 0));
    }
    const [first, ...more] = found.filter((one) => one !== undefined);
    expect(first?.summary).toBe('2000 different names in this run within an hour');
    expect(first?.facts).toEqual({ names: RUN_NAMES, scope: 'run' });
    expect(more).toEqual([]);
  });

  it('are flagged where the suffix itself looks like one of a country', () => {
    const name = payload(ALPHABETS.hex, 63, numbers(3));
    expect(new RunNames(1).ask(`${name}.net.zz`, 0)).toMatchObject({ facts: { scope: 'name' } });
  });

  it('are flagged by their number, whatever they look like, and anew an hour later', () => {
    const run = new RunNames(1);
    const ask = (now: number) =>
      Array.from({ length: SUFFIX_NAMES + 5 }, (_, at) => run.ask(`word${at}.example.com`, now)).filter(
        (one) => one !== undefined,
      );
    expect(ask(0)).toMatchObject([{ summary: '200 different names under `example.com` within an hour' }]);
    expect(ask(NAMES_WINDOW_MS - 1)).toEqual([]);
    expect(ask(NAMES_WINDOW_MS)).toHaveLength(1);
  });

  it('are counted on by the next process', () => {
    const first = new RunNames(9);
    const random = numbers(8);
    for (let count = 0; count < 10; count += 1)
      first.ask(`${payload(ALPHABETS.base32, 32, random)}.t.example.com`, 0);
    const second = new RunNames(1);
    second.restore(first.kept());
    expect(second.kept()).toEqual(first.kept());
    let more = 1;
    while (second.ask(`${payload(ALPHABETS.base32, 32, random)}.t.example.com`, 0) === undefined) more += 1;
    expect(more).toBeLessThanOrEqual(10);
  });
});

describe('any name', () => {
  const label = fc.string({
    unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz0123456789-_')),
    maxLength: 63,
  });

  it('has no more random letters than pairs, and as many however its hyphens stand', () => {
    fc.assert(
      fc.property(label, (text) => {
        const letters = text.replaceAll(/[-_]/g, '');
        const count = randomLetters(letters);
        expect(count).toBeLessThanOrEqual(Math.max(0, letters.length - 1));
        if (!text.startsWith('xn--')) expect(randomLetters(text)).toBe(count);
      }),
    );
  });

  it('keeps what is remembered of a run bounded', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(label, fc.nat(300)), { maxLength: 50 }), fc.nat(), (asked, seed) => {
        const run = new RunNames(seed);
        for (const [text, at] of asked)
          for (let count = 0; count < 40; count += 1) run.ask(`${text}${count}.s${at}.example`, count);
        const { suffixes } = run.kept();
        expect(suffixes.length).toBeLessThanOrEqual(128);
        expect(suffixes.reduce((sum, [, , , names]) => sum + names.length, 0)).toBeLessThanOrEqual(1024);
      }),
      { numRuns: 20 },
    );
  });
});
