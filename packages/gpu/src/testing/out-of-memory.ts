/** What a card without room says, at the same call, is played: nobody fills the memory of a test machine. */
export function playOutOfMemory(device: GPUDevice, message = 'no room'): void {
  const error = new GPUOutOfMemoryError(message);
  device.dispatchEvent(new GPUUncapturedErrorEvent('uncapturederror', { error }));
}
