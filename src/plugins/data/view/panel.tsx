/** The widget of the data view. */
import type { ITranslator } from '@jupyterlab/translation';
import React from 'react';

import { localeFor } from '../../../labels/formats';
import { pathIcon } from '../../../ui/icons';
import { lazyView } from '../../../ui/lazy';
import { SidePanel } from '../../../ui/sidePanel';
import type { DataModel } from '../model/dataModel';
import { DataContext, IDataContext } from './context';

/** A table with a header, whose cells contain bars. */
const dataIcon = pathIcon(
  'data',
  'M3 4h18v16H3V4Zm2 5v3h5V9H5Zm7 0v3h7V9h-7Zm-7 5v4h5v-4H5Zm7 0v4h2v-4h-2Zm3 1.500v2.500h1.500v-2.500H15Zm2.500-1v3.500H19v-3.500h-1.500Z'
);

const DataView = lazyView(async () => (await import('./view')).DataView);

export class DataPanel extends SidePanel<DataModel> {
  constructor(model: DataModel, translator: ITranslator) {
    const trans = translator.load('aiserver');
    super(model, {
      id: 'aiserver-data',
      className: 'jp-AIServer-Data',
      label: trans.__('Data'),
      icon: dataIcon,
      caption: trans.__('Data: the DataFrames and arrays of the kernel')
    });
    this._context = { model, trans, locale: localeFor(translator) };
  }

  protected renderContent(): React.JSX.Element {
    return (
      <DataContext value={this._context}>
        <DataView
          props={{}}
          trans={this._context.trans}
          onLoad={() => this.focusContent()}
        />
      </DataContext>
    );
  }

  protected focusContent(): void {
    if (document.activeElement === this.node) {
      this.node.querySelector<HTMLElement>('.jp-AIServer-Data-head')?.focus();
    }
  }

  protected setActive(isActive: boolean): void {
    if (this.model) {
      this.model.isActive = isActive;
    }
  }

  private readonly _context: IDataContext;
}
