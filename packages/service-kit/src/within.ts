/** Resolves when the work is done, or when the time is over; rejects as the work does before that. */
export async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work.then(() => {}), late]);
  } finally {
    clearTimeout(timer);
  }
}
