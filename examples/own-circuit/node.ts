import { deviceDescriptor } from '@cuzk/gpu/open';
import { create, globals } from 'webgpu';
import { proveCubic } from './cubic.ts';

// an argument such as backend=opengles chooses a driver; the software one needs the compatibility level
const gpu = create(process.argv.slice(2));
// the process would abort if this were collected while it has devices
Object.assign(globalThis, globals, { gpu });
const adapter = await gpu.requestAdapter({ featureLevel: 'compatibility' });
if (adapter === null) throw new Error('no WebGPU adapter on this machine');
const device = await adapter.requestDevice(deviceDescriptor(adapter));
const verified = await proveCubic(device);
console.log(`${adapter.info.description}: ${verified ? 'verified' : 'NOT VERIFIED'}`);
device.destroy();
process.exitCode = verified ? 0 : 1;
