import { useSignal } from '@preact/signals';
import { problemText, request } from '../net/api.ts';
import { notify } from '../state/notices.ts';
import { proofAddress } from '../state/route.ts';
import { Dialog } from './dialog.tsx';

async function submit(form: FormData): Promise<string> {
  const file = form.get('c1');
  if (!(file instanceof File) || file.size === 0) throw new Error('Choose the file of a C1 first.');
  const query = new URLSearchParams();
  for (const name of ['miner', 'sector', 'priority'] as const) {
    const value = String(form.get(name) ?? '').trim();
    if (value !== '') query.set(name, value);
  }
  const response = await request(`/v1/proofs?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: file,
  });
  return ((await response.json()) as { proofId: string }).proofId;
}

/** Sends a C1 from a file. */
export function SubmitDialog({ onClose }: { onClose: () => void }) {
  const problem = useSignal('');
  const busy = useSignal(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    busy.value = true;
    try {
      const proofId = await submit(new FormData(event.currentTarget as HTMLFormElement));
      notify('The C1 is accepted.');
      location.hash = proofAddress(proofId);
      onClose();
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <Dialog title="Submit a C1" onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <label>
          C1 (JSON, or the wrapper with Phase1Out)
          <input name="c1" type="file" accept=".json,application/json" required />
        </label>
        <div class="field-row">
          <label>
            Miner
            <input name="miner" placeholder="f01000" />
          </label>
          <label>
            Sector number
            <input name="sector" inputMode="numeric" placeholder="1" />
          </label>
          <label>
            Priority
            <select name="priority">
              <option value="critical">critical</option>
              <option value="high">high</option>
              <option value="normal" selected>
                normal
              </option>
              <option value="low">low</option>
            </select>
          </label>
        </div>
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="primary" disabled={busy.value}>
            {busy.value ? 'Sending…' : 'Submit'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
