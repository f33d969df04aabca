/**
 * Tells EGL, which reads its platform from the environment when Dawn opens it, that there is no display. A platform
 * that is already chosen stays.
 */
export function askForNoSurface(): void {
  process.env.EGL_PLATFORM ??= 'surfaceless';
}
