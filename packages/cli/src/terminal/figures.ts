const GIB = 2 ** 30;

/** Bytes for people: `44.88 GiB`. */
export const gibText = (bytes: number): string => `${(bytes / GIB).toFixed(2)} GiB`;

/** Seconds for people: `1.70 s`. */
export const secondsText = (seconds: number): string => `${seconds.toFixed(2)} s`;
