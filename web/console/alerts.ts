import type { Events } from '../../client/events.ts';
import { createStore } from '../kit/store.ts';

export type Kind = Events['admin.alert']['kind'];

export type Alert = { kind: Kind; id: string; at: string; isRead: boolean };

const MOST = 20;

/** The alerts that arrived since the page was opened, newest first. */
export const alerts = createStore<readonly Alert[]>([]);

export const addAlert = ({ kind, id }: Events['admin.alert'], at: string): void => {
  const others = alerts.get().filter((alert) => alert.kind !== kind || alert.id !== id);
  alerts.set([{ kind, id, at, isRead: false }, ...others].slice(0, MOST));
};

export const readAlerts = (): void => alerts.set(alerts.get().map((alert) => ({ ...alert, isRead: true })));
