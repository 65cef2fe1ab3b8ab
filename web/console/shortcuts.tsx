import { Dialog } from '../kit/dialog.tsx';
import { COMMAND_KEY } from './command-key.ts';
import { useMenu } from './navigation.tsx';

/** Keys by what they do, as the overview shows them. */
const SHORTCUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Everywhere: {
    [`${COMMAND_KEY} K`]: 'Search or jump to',
    '/': 'Search the list',
    '?': 'Keyboard shortcuts',
  },
  'Go to': {},
  Lists: {
    J: 'Next row',
    K: 'Previous row',
    X: 'Select row',
    Enter: 'Open row',
    E: 'Export',
  },
  Review: { A: 'Approve or apply', R: 'Reject or close' },
};

/** The overview of all keys. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const places = useMenu().flatMap(({ entries }) =>
    entries.flatMap(({ entry }) =>
      entry.key === undefined ? [] : [[`G ${entry.key.toUpperCase()}`, entry.name] as const],
    ),
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {Object.entries(SHORTCUTS).map(([group, keys]) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl className="facts rows">
            {[...Object.entries(keys), ...(group === 'Go to' ? places : [])].map(([shown, what]) => (
              <div key={shown}>
                <dt>{what}</dt>
                <dd className="line">
                  {shown.split(' ').map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
