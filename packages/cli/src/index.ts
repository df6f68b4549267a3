/** The complete public surface of @subluminal/cli: named exports only. */
export {};
