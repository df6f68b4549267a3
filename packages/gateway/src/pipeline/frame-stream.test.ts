import { nextTurn } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { FrameStream } from './frame-stream.js';

describe('the frames of one connection', () => {
  it('are read at once while none takes turns of the event loop', () => {
    expect(new FrameStream().inOrder(() => 'read')).toBe('read');
  });

  it('wait for those before them that are read in turns, and only for those', async () => {
    const stream = new FrameStream();
    const order: string[] = [];
    const slowly = async (name: string): Promise<void> => {
      await nextTurn();
      order.push(name);
    };
    void stream.inOrder(() => slowly('first'));
    void stream.inOrder(() => order.push('second'));
    void stream.inOrder(() => slowly('third'));
    await stream.inOrder(() => order.push('fourth'));
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
    await nextTurn();
    expect(stream.inOrder(() => order.push('fifth'))).toBe(5);
  });

  it('go on behind one that could not be read', async () => {
    const stream = new FrameStream();
    const broken = stream.inOrder(() => Promise.reject(new Error('broken')));
    const next = stream.inOrder(() => 'read');
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('read');
  });
});
