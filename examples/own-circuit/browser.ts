import { deviceDescriptor } from '@cuzk/gpu/open';
import { proveCubic } from './cubic.ts';

const adapter = await navigator.gpu?.requestAdapter();
if (adapter == null) throw new Error('this browser has no WebGPU adapter');
const device = await adapter.requestDevice(deviceDescriptor(adapter));
const verified = await proveCubic(device);
document.title = `${adapter.info.architecture}: ${verified ? 'verified' : 'NOT VERIFIED'}`;
