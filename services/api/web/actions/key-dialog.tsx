import { apiKey, keyWanted, setApiKey } from '../net/api.ts';
import { Dialog } from './dialog.tsx';

/** Asks for the API key. */
export function KeyDialog({ onClose }: { onClose: () => void }) {
  const close = () => {
    keyWanted.value = false;
    onClose();
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setApiKey(String(form.get('key') ?? ''));
    close();
  };
  return (
    <Dialog title="API key" onClose={close}>
      <form onSubmit={save}>
        <label>
          Key
          <input name="key" type="password" autocomplete="off" value={apiKey.value} />
        </label>
        <p class="muted">Goes along with every call and is forgotten when this tab is closed.</p>
        <div class="dialog-actions">
          <button type="button" onClick={close}>
            Close
          </button>
          <button type="submit" class="primary">
            Use
          </button>
        </div>
      </form>
    </Dialog>
  );
}
