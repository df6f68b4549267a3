import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../../harness/home.js';
import { runSub } from '../../harness/sub.js';
import { address, CHROMIUM, MISSING, openPage, startBrowser } from './kit/browser.js';

describe.skipIf(MISSING !== null)(
  `the neighbours of the page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: TestHome;
    let browser: Browser;
    let server: Server;
    /** Requests that the dev server got, with their cookies. */
    const got: string[] = [];
    beforeAll(async () => {
      at = createHome();
      await at.startWatched();
      browser = await startBrowser();
      server = createServer((request, response) => {
        got.push(`${request.url ?? ''} ${request.headers.cookie ?? ''} ${request.headers.referer ?? ''}`);
        response.writeHead(200, {
          'content-type': 'text/html',
          'set-cookie': 'of=another; SameSite=Strict; HttpOnly',
        });
        response.end('<title>the dev server of an agent</title><body>');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterAll(async () => {
      server.close();
      await browser.close();
      await at.remove();
    });

    it('on another port read nothing of it, frame it nowhere, and change nothing, in the same browser', async () => {
      const opened = await openPage(browser, at.home);
      const { origin } = new URL(opened.page.url());
      const token = await opened.page.evaluate(() => sessionStorage.getItem('subl.token') ?? '');
      const { port } = server.address() as AddressInfo;
      for (const host of ['127.0.0.1', 'localhost', `0123456789abcdef.localhost`]) {
        const page = await opened.context.newPage();
        await page.goto(`http://${host}:${port}/`);
        const told = await page.evaluate(
          async ({ base, stolen }) => {
            const tried = (asked: Promise<Response>): Promise<string> =>
              asked.then(
                async (answer) => `${answer.type} ${answer.status} ${(await answer.text()).length}`,
                () => 'refused',
              );
            const panic = JSON.stringify({ act: 'panic', reason: 'a neighbour' });
            const headers = { authorization: `Bearer ${stolen}`, 'content-type': 'application/json' };
            const loaded = (name: 'iframe' | 'img' | 'script', src: string): Promise<string> =>
              new Promise((resolve) => {
                const element = document.createElement(name);
                element.addEventListener('error', () => resolve('refused'));
                element.addEventListener('load', () => {
                  const isFrame = element instanceof HTMLIFrameElement;
                  resolve(isFrame && element.contentDocument === null ? 'unreadable' : 'loaded');
                });
                element.src = src;
                document.body.append(element);
              });
            const socket = await new Promise((resolve) => {
              const made = new window.WebSocket(`${base.replace('http', 'ws')}/ui/ws`);
              made.addEventListener('open', () => resolve('open'));
              made.addEventListener('error', () => resolve('refused'));
            });
            return {
              read: await tried(window.fetch(`${base}/ui/api/state`, { headers })),
              act: await tried(window.fetch(`${base}/ui/api/act`, { method: 'POST', headers, body: panic })),
              // A form can send it: no question is asked before it.
              form: await tried(
                window.fetch(`${base}/ui/api/act`, {
                  method: 'POST',
                  mode: 'no-cors',
                  credentials: 'include',
                  body: panic,
                }),
              ),
              frame: await loaded('iframe', `${base}/ui/`),
              script: await loaded('script', `${base}/ui/app.js`),
              image: await loaded('img', `${base}/ui/`),
              socket,
            };
          },
          { base: origin, stolen: token },
        );
        expect([host, told]).toEqual([
          host,
          {
            read: 'refused',
            act: 'refused',
            form: expect.stringMatching(/^(refused|opaque 0 0)$/),
            frame: 'unreadable',
            script: 'refused',
            image: 'refused',
            socket: 'refused',
          },
        ]);
        // The frame shows no page of the gateway: the browser has put its own there.
        const framed = await Promise.all(
          page
            .frames()
            .slice(1)
            .map((frame) => frame.content()),
        );
        expect(framed.join()).not.toContain('/ui/app.js');
        await page.close();
      }
      const state = await opened.page.evaluate(async (bearer) => {
        const answer = await window.fetch('/ui/api/state', {
          headers: { authorization: `Bearer ${bearer}` },
        });
        return answer.json() as Promise<object>;
      }, token);
      expect(state).toMatchObject({ panicked: null, access: 'full' });
      // The page has told its neighbours nothing: no token, no cookie of its own, no address.
      expect(got.join('\n')).not.toContain(token);
      expect(got.join('\n')).not.toContain(origin);
      expect(await opened.context.cookies(origin)).toEqual([]);
      await opened.close();
    });

    it('that are a browser inside a run get nothing of it with a code, which stays good', async () => {
      const to = await address(at.home);
      const inside = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', to];
      const { code, stdout, stderr } = await runSub(['run', '--home', at.home, '--', CHROMIUM, ...inside], {
        env: { PATH: process.env['PATH'], HOME: at.root },
        timeoutMs: 100_000,
      });
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('inside_run');
      expect(stdout).toContain('the page is refused inside a run');
      expect(stdout).not.toContain('/ui/app.js');
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(to);
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      await context.close();
    });
  },
);
