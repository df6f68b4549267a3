import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { runSub } from '../../../harness/resident.js';
import { untilFree } from '../../kit/free-port.js';

/** The browser that Debian brings: without a window of its own it takes a third of the processor. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
export const CHROMIUM = BROWSERS.find((path) => existsSync(path)) ?? BROWSERS[0];
/** A machine that is busy is slow: what is waited for comes, or it does not. */
const MOST_MS = 60_000;

/** Why tests of the page are skipped; null where they run. It stands in their title. */
export const MISSING: string | null = existsSync(CHROMIUM)
  ? null
  : `no ${CHROMIUM}: apt-get install -y --no-install-recommends chromium-headless-shell fonts-dejavu`;

/** How a page is opened. */
export interface Looks {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
  /** CSS pixels of the screen for one of the page: 2 is a zoom of 200 %. */
  readonly zoom?: number;
  readonly forcedColors?: 'active' | 'none';
  /** The view's address, below `/ui/`. */
  readonly at?: string;
}

/** An open page of a gateway. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Throws where the browser refused something by its policy, or a script failed. */
  expectClean(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the browser that Debian brings. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    timeout: MOST_MS,
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'],
  });
}

/** Runs `sub ui` and gives the address that it prints. */
export async function address(home: string): Promise<string> {
  const done = await untilFree(
    () =>
      runSub(['ui', '--no-open', '--json', '--home', home], {
        env: { PATH: process.env['PATH'], HOME: home },
      }),
    ({ stdout, stderr }) => stdout + stderr,
  );
  if (done.code !== 0) throw new Error(`sub ui: ${done.code}\n${done.stdout}${done.stderr}`);
  const told = JSON.parse(done.stdout) as { readonly address: string };
  return told.address;
}

/** The six digits that `sub ui unlock` prints. */
export async function unlockCode(home: string): Promise<string> {
  const done = await runSub(['ui', 'unlock', '--json', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  if (done.code !== 0) throw new Error(`sub ui unlock: ${done.code}\n${done.stdout}${done.stderr}`);
  const told = JSON.parse(done.stdout) as { readonly code: string };
  return told.code;
}

/** Goes to a view by its two keys; pressed again if the machine let too much time go by between them. */
export async function goByKeys(page: Page, keys: string, path: string): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const key of keys.split(' ')) await page.keyboard.press(key);
        return new URL(page.url()).pathname;
      },
      { timeout: MOST_MS, interval: 200 },
    )
    .toBe(path);
}

/** Opens the page of a home by a new code, and waits for its frame. */
export async function openPage(browser: Browser, home: string, looks: Looks = {}): Promise<Opened> {
  const { width = 1440, height = 900, theme = 'dark', zoom = 1, forcedColors = 'none', at = '' } = looks;
  const context = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: theme,
    forcedColors,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en',
  });
  context.setDefaultTimeout(MOST_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  const [base = '', code = ''] = (await address(home)).split('#');
  await page.goto(`${base}${at}#${code}`);
  // The tabs stand there before there is a session; the state does not.
  await page.getByRole('list', { name: 'State' }).waitFor();
  return {
    page,
    context,
    async expectClean() {
      // A violation is reported later than its cause.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
      expect(faults).toEqual([]);
    },
    async close() {
      await context.close();
    },
  };
}
