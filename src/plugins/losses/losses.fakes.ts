import { Notification } from '@jupyterlab/apputils';

export const CELLS = ['aa', 'bb', 'cc', 'dd', 'ee'].map((id, index) => ({
  id,
  type: index === 2 ? 'markdown' : 'code',
  source: `${id} = ${index}`
}));

/** Return the texts of the notifications that are shown. */
export function messages(): string[] {
  return Notification.manager.notifications.map(({ message }) => message);
}

/** Remove what a test left in the page. */
export function clearPage(): void {
  Notification.dismiss();
  window.localStorage.clear();
  document.body.replaceChildren();
}
