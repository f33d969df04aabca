import { render } from 'preact';
import { App } from './app.tsx';
import { readFeatures } from './state/features.ts';
import { followStatus } from './state/status-store.ts';
import './style/base.css';
import './style/fleet.css';
import './style/proofs.css';
import './style/detail.css';

const root = document.getElementById('page');
if (root !== null) render(<App />, root);
void readFeatures();
followStatus();
