import type { Tokens } from 'marked';
import { Inline } from './inline.tsx';

/** Wider tables scroll; they take the focus so that keys can do it. */
export function Table({ table: { header, rows } }: { readonly table: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll the table
    <section className="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other keys
              <th key={index} scope="col" className={alignment(cell)}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={row}>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={index} className={alignment(cell)}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const alignment = ({ align }: Tokens.TableCell) => (align === null ? undefined : `align-${align}`);
