/** What `opening` gives. Where that fails, what was opened before it, last first, is closed: nobody else can any more. */
export async function closeIfFails<T>(
  opening: Promise<T>,
  ...opened: readonly { close(): void }[]
): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    for (const one of opened) one.close();
    throw error;
  }
}
