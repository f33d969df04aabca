// Imported ahead of a device process: destroys its device, once for the file of LOSE_DEVICE_NOTE, when a load has put a
// third of the parameters there. A driver that drops a device looks the same from within.
import { existsSync, writeFileSync } from 'node:fs';

const note = process.env.LOSE_DEVICE_NOTE ?? '';
let device;

// The classes of WebGPU become globals when a device is first asked for.
Object.defineProperty(globalThis, 'GPUAdapter', {
  configurable: true,
  set: (GPUAdapter) => {
    Object.defineProperty(globalThis, 'GPUAdapter', { value: GPUAdapter, writable: true });
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function request(descriptor) {
      device = await requestDevice.call(this, descriptor);
      return device;
    };
  },
});

const send = process.send?.bind(process);
if (send !== undefined && note !== '') {
  process.send = (reply, ...rest) => {
    const late = reply.kind === 'progress' && reply.what === 'loading 2KiB' && reply.fraction > 0.3;
    if (late && device !== undefined && !existsSync(note)) {
      writeFileSync(note, `${reply.fraction}`);
      device.destroy();
    }
    return send(reply, ...rest);
  };
}
