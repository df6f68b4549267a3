/** The complete public surface of @subluminal/core-types: named exports only. */
export {};
