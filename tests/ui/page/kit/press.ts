import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Presses a button until its sign shows: a press that falls while the card moves is nobody's yes or no, and
 * the finger comes down once more.
 */
export async function press(
  button: Locator,
  sign: Locator,
  by: 'pointer' | 'keys' = 'pointer',
): Promise<void> {
  const down = async (): Promise<void> => {
    if (by === 'pointer') return button.click({ timeout: 2000 });
    await button.focus({ timeout: 2000 });
    return button.page().keyboard.press('Enter');
  };
  await expect
    .poll(
      async () => {
        const isReady = await button.isEnabled({ timeout: 1000 }).catch(() => false);
        if (isReady) await down().catch(() => undefined);
        return sign
          .first()
          .waitFor({ timeout: isReady ? 5000 : 200 })
          .then(() => true)
          .catch(() => false);
      },
      { timeout: 90_000, interval: 200 },
    )
    .toBe(true);
}
