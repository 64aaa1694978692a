'use strict';
// Control characters and characters that change the direction of text are shown as codes.
const visible = text => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
  sign => '\\u' + sign.charCodeAt(0).toString(16).padStart(4, '0'));
const short = (text, most = 300) => text.length > most ? text.slice(0, most) + '…' : text;
// Makes an element. Strings among its children become text nodes.
const el = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined)
    .map(child => child instanceof Node ? child : visible(child)));
  return element;
};
// Each cell has its column's title, so a narrow page can show rows as cards. A null cell is empty.
const titles = names => names.map(name => el('th', { scope: 'col', role: 'columnheader' }, name));
const row = (names, cells) => el('tr', { role: 'row' }, cells.map((cell, index) => el('td', { role: 'cell', 'data-label': names[index] }, cell)));
const table = (kind, names, rows) => el('table', { class: 'runs ' + kind, role: 'table' }, el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, titles(names))),
  el('tbody', { role: 'rowgroup' }, rows.map(cells => row(names, cells))));
const number = count => count.toLocaleString('en-US');
const duration = seconds => {
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 60) return (Math.round(seconds * 10) / 10).toFixed(1) + ' s';
  const whole = Math.floor(seconds);
  if (seconds < 3600) return Math.floor(whole / 60) + ' min ' + whole % 60 + ' s';
  if (seconds < 86400) return Math.floor(whole / 3600) + ' h ' + Math.floor(whole / 60) % 60 + ' min';
  return Math.floor(whole / 86400) + ' d ' + Math.floor(whole / 3600) % 24 + ' h';
};
const moment = text => {
  const date = new Date(text);
  return el('time', { datetime: text, title: text }, date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' }));
};
const signs = { completed: '✓', faulted: '✗', cancelled: '–', skipped: '–', running: '…', interrupted: '!' };
