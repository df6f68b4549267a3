/** The complete public surface of @subluminal/ipc: named exports only. */
export {};
