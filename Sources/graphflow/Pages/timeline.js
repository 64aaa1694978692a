class Timeline {
  constructor(choose) {
    this.choose = choose;
    this.opened = new Map();
    this.height = 28;
    this.from = 0;
    this.span = 1;
    const button = (label, text, act) => el('button', { type: 'button', 'aria-label': label, title: label, click: act }, text);
    this.search = el('input', { type: 'search', placeholder: 'Find a task', 'aria-label': 'Find a task', input: () => this.arrange() });
    this.onlyFaulted = el('input', { type: 'checkbox', change: () => this.arrange() });
    this.count = el('span', { class: 'quiet', role: 'status' });
    this.ticks = el('div', { class: 'ticks' });
    this.space = el('div', { role: 'rowgroup' });
    this.rows = el('div', {
      class: 'rows', role: 'treegrid', tabindex: 0, 'aria-label': 'Tasks', 'aria-describedby': 'keys',
      keydown: event => this.press(event), scroll: () => this.draw(), wheel: event => this.wheel(event),
    }, this.space);
    this.element = el('section', { class: 'timeline', 'aria-labelledby': 'tasks' },
      el('h2', { id: 'tasks' }, 'Tasks'),
      el('div', { class: 'tools' }, this.search, el('label', {}, this.onlyFaulted, ' failed only'), this.count,
        el('span', { class: 'space' }),
        button('Open all', 'Open all', () => this.openAll(true)), button('Close all', 'Close all', () => this.openAll(false)),
        button('Zoom out', '−', () => this.zoom(2)), button('Zoom in', '+', () => this.zoom(.5)),
        button('Show the whole run', 'Whole run', () => this.fit())),
      el('div', { class: 'grid' },
        el('div', { class: 'axis', 'aria-hidden': 'true' }, el('span', {}, 'Task'), this.ticks, el('span', { class: 'took' }, 'Took')), this.rows),
      el('p', { class: 'hint', id: 'keys' }, el('kbd', {}, '↑'), ' ', el('kbd', {}, '↓'), ' choose a task, ', el('kbd', {}, '←'), ' ', el('kbd', {}, '→'),
        ' close and open it, ', el('kbd', {}, '+'), ' ', el('kbd', {}, '−'), ' zoom, ', el('kbd', {}, '0'), ' the whole run, ',
        el('kbd', {}, 'Shift'), ' ', el('kbd', {}, '←'), ' ', el('kbd', {}, '→'), ' move in time, ', el('kbd', {}, 'Enter'), ' go to the task’s data'));
    this.rows.addEventListener('pointerdown', event => this.grab(event));
    addEventListener('resize', () => this.draw());
    // Print all rows, up to 2,000.
    addEventListener('beforeprint', () => this.draw(2000));
    addEventListener('afterprint', () => this.draw());
  }

  // Shows the tasks of a run. Opened and chosen tasks stay so.
  show(run) {
    this.tasks = [];
    const isAtWork = ['running', 'waiting'].includes(run.state);
    const end = isAtWork ? Date.now() : Date.parse(run.startedAt) + run.duration * 1000;
    this.start = Date.parse(run.startedAt);
    const waiting = [{ list: run.tasks || [], next: 0, parent: null }];
    while (waiting.length) {
      const level = waiting[waiting.length - 1];
      if (level.next === level.list.length) { waiting.pop(); continue; }
      const data = level.list[level.next++];
      const start = Date.parse(data.startedAt);
      const task = {
        data, parent: level.parent, depth: waiting.length - 1, children: [], start,
        state: data.state === 'running' && !isAtWork ? 'interrupted' : data.state,
        end: data.state === 'running' ? end : Math.max(start, data.endedAt ? Date.parse(data.endedAt) : start + data.duration * 1000),
        key: (data.run || '') + ' ' + (level.parent ? level.parent.key : '') + ' ' + (data.task || '') + ' ' + (data.occurrence || ''),
      };
      if (level.parent) level.parent.children.push(task);
      this.tasks.push(task);
      if (data.tasks) waiting.push({ list: data.tasks, next: 0, parent: task });
    }
    // 2 % more, so the last events are visible.
    this.total = 1.02 * this.tasks.reduce((most, task) => Math.max(most, task.end - this.start), Math.max(1, end - this.start));
    this.arrange();
  }

  isOpen(task) {
    const known = this.opened.get(task.key);
    return known === undefined ? !task.data.repeated && (this.tasks.length < 500 || task.depth < 2) : known;
  }

  // Selects the tasks that have a row.
  arrange() {
    const words = this.search.value.trim().toLowerCase();
    this.shown = [];
    if (words || this.onlyFaulted.checked) {
      const wanted = new Set();
      let found = 0;
      for (const task of this.tasks) {
        if (this.onlyFaulted.checked && task.state !== 'faulted' || !task.data.name.toLowerCase().includes(words)) continue;
        found += 1;
        for (let around = task; around && !wanted.has(around); around = around.parent) wanted.add(around);
      }
      this.shown = this.tasks.filter(task => wanted.has(task));
      this.count.textContent = number(found) + ' of ' + number(this.tasks.length);
      this.isFiltered = true;
    } else {
      let closed = Infinity;
      for (const task of this.tasks) {
        if (task.depth > closed) continue;
        closed = task.children.length && !this.isOpen(task) ? task.depth : Infinity;
        this.shown.push(task);
      }
      this.count.textContent = number(this.tasks.length) + (this.tasks.length === 1 ? ' task' : ' tasks');
      this.isFiltered = false;
    }
    this.shown.forEach((task, place) => { task.place = place; });
    this.rows.setAttribute('aria-rowcount', this.shown.length);
    this.space.style.height = this.shown.length * this.height + 'px';
    this.space.replaceChildren();
    this.drawn = new Map();
    const kept = this.chosen && this.shown.find(task => task.key === this.chosen.key);
    this.chosen = kept || null;
    this.draw();
  }

  // Makes the visible rows and drops the others.
  draw(most) {
    const first = most ? 0 : Math.max(0, Math.floor(this.rows.scrollTop / this.height) - 5);
    const count = most || Math.ceil((this.rows.clientHeight || 600) / this.height) + 12;
    const last = Math.min(this.shown.length, first + count);
    const rows = new Map();
    for (let place = first; place < last; place++) {
      const task = this.shown[place];
      rows.set(task, this.drawn.get(task) || this.row(task, place));
    }
    const chosen = this.chosen && this.chosen.place < this.shown.length ? this.chosen : null;
    if (chosen && !rows.has(chosen)) rows.set(chosen, this.drawn.get(chosen) || this.row(chosen, chosen.place));
    // Keep the rows in order, for print and screen readers.
    if ([...rows.values()].some(row => !row.parentNode) || rows.size !== this.drawn.size)
      this.space.replaceChildren(...[...rows.keys()].sort((one, other) => one.place - other.place).map(task => rows.get(task)));
    for (const [task, row] of rows) {
      const isChosen = task === chosen;
      row.classList.toggle('chosen', isChosen);
      row.setAttribute('aria-selected', isChosen);
    }
    if (chosen) this.rows.setAttribute('aria-activedescendant', 'row' + chosen.place);
    else this.rows.removeAttribute('aria-activedescendant');
    this.drawn = rows;
    this.drawTicks();
  }

  row(task, place) {
    const { data } = task;
    const hasInside = task.children.length > 0;
    const isOpen = hasInside && (this.isFiltered || this.isOpen(task));
    const words = [];
    if (data.repeated) {
      words.push(number(data.repeated.count) + ' ' + data.repeated.kind);
      if (data.repeated.failed) words.push(number(data.repeated.failed) + ' failed');
      if (data.repeated.hidden) words.push(number(data.repeated.hidden) + ' not in this page');
    }
    if (data.label) words.push(data.label);
    const took = task.state === 'skipped' ? 'skipped' : duration(data.duration);
    const lane = el('div', { class: 'lane', role: 'gridcell', 'aria-label': 'begins after ' + duration((task.start - this.start) / 1000) });
    this.bars(task, lane);
    const name = el('div', { class: 'name', role: 'gridcell' },
      el('span', { class: 'twist', 'aria-hidden': 'true' }, hasInside ? (isOpen ? '▾' : '▸') : ''),
      el('span', { class: 'sign', role: 'img', 'aria-label': task.state }, signs[task.state] || '?'),
      el('bdi', { title: short(visible(data.name)) }, (data.task ? '' : 'run of ') + short(data.name)),
      words.length ? el('small', {}, words.join(', ')) : null);
    name.style.paddingLeft = 10 + Math.min(task.depth, 16) * 16 + 'px';
    const row = el('div', {
      id: 'row' + place, class: 'row ' + task.state, role: 'row', 'aria-level': task.depth + 1, 'aria-rowindex': place + 1,
      'aria-expanded': hasInside ? String(isOpen) : null,
      click: event => this.take(task, event.target.classList.contains('twist')), dblclick: () => this.zoomTo(task),
    }, name, lane, el('div', { class: 'took', role: 'gridcell' }, took + (data.attempts > 1 ? ', ' + data.attempts + ' attempts' : '')));
    row.style.top = place * this.height + 'px';
    return row;
  }

  // The task's time, its waits, and where its attempts begin.
  bars(task, lane) {
    const put = (name, from, to, title) => {
      const left = ((from - this.start) / this.total - this.from) / this.span;
      const right = ((Math.max(to, from) - this.start) / this.total - this.from) / this.span;
      if (right < 0 || left > 1) return;
      const part = el('div', { class: name, title });
      part.style.left = Math.min(Math.max(0, left), .998) * 100 + '%';
      if (to !== null) part.style.width = (Math.min(1, right) - Math.max(0, left)) * 100 + '%';
      lane.append(part);
    };
    put(task.children.length ? 'bar around' : 'bar', task.start, task.end);
    for (const note of task.data.notes || []) {
      const time = Date.parse(note.time);
      if (note.delay) put('wait', time, time + note.delay * 1000, 'waited ' + duration(note.delay));
      if (note.kind === 'retried' || note.kind === 'requestRetried') put('retry', time + (note.delay || 0) * 1000, null, 'attempt ' + note.attempt);
    }
  }

  drawTicks() {
    const length = this.total * this.span;
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5, 6048e5];
    const most = Math.max(1, this.ticks.clientWidth / 72);
    const step = steps.find(step => length / step <= most) || length / most;
    this.ticks.replaceChildren();
    for (let at = Math.ceil(this.from * this.total / step) * step; at < (this.from + this.span) * this.total; at += step) {
      const tick = el('span', {}, at < 1000 && step < 1000 ? at + ' ms' : duration(at / 1000));
      tick.style.left = (at / this.total - this.from) / this.span * 100 + '%';
      this.ticks.append(tick);
    }
  }

  look(from, span) {
    this.span = Math.min(1, Math.max(span, Math.min(1, 2 / this.total)));
    this.from = Math.min(Math.max(0, from), 1 - this.span);
    this.space.replaceChildren();
    this.drawn = new Map();
    this.draw();
  }

  fit() { this.look(0, 1); }
  zoom(factor, middle) {
    const task = this.chosen;
    const place = middle ?? (task ? ((task.start + task.end) / 2 - this.start) / this.total : this.from + this.span / 2);
    const share = middle === undefined ? .5 : (middle - this.from) / this.span;
    const span = Math.min(1, this.span * factor);
    this.look(place - span * share, span);
  }
  zoomTo(task) {
    const length = Math.max(task.end - task.start, 2) / this.total;
    this.look((task.start - this.start) / this.total - length * .1, length * 1.2);
  }

  wheel(event) {
    const lane = this.ticks.getBoundingClientRect();
    if (event.ctrlKey) {
      event.preventDefault();
      const share = Math.min(1, Math.max(0, (event.clientX - lane.left) / lane.width));
      this.zoom(event.deltaY > 0 ? 1.25 : .8, this.from + this.span * share);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.look(this.from + this.span * (event.deltaX || event.deltaY) / lane.width, this.span);
    }
  }

  // Dragging moves in time.
  grab(event) {
    const lane = this.ticks.getBoundingClientRect();
    if (event.button || this.span === 1 || event.clientX < lane.left || event.clientX > lane.right) return;
    const [x, from] = [event.clientX, this.from];
    const move = event => this.look(from - this.span * (event.clientX - x) / lane.width, this.span);
    const end = () => { removeEventListener('pointermove', move); removeEventListener('pointerup', end); };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
  }

  take(task, isTwist) {
    if (isTwist) this.open(task, !this.isOpen(task));
    this.select(task);
  }

  open(task, isOpen) {
    if (!task.children.length || this.isFiltered) return;
    this.opened.set(task.key, isOpen);
    this.arrange();
  }

  openAll(isOpen) {
    for (const task of this.tasks) if (task.children.length) this.opened.set(task.key, isOpen);
    this.arrange();
  }

  // Chooses a task, opens its parents, and scrolls to its row.
  select(task) {
    if (this.shown[task.place] !== task) {
      [this.search.value, this.onlyFaulted.checked] = ['', false];
      for (let around = task.parent; around; around = around.parent) this.opened.set(around.key, true);
      this.arrange();
    }
    this.chosen = task;
    const top = task.place * this.height;
    if (top < this.rows.scrollTop) this.rows.scrollTop = top;
    else if (top + this.height > this.rows.scrollTop + this.rows.clientHeight) this.rows.scrollTop = top + this.height - this.rows.clientHeight;
    this.draw();
    this.choose(task);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.shown.length) return;
    const { chosen } = this;
    const go = place => this.select(this.shown[Math.min(this.shown.length - 1, Math.max(0, place))]);
    const page = Math.max(1, Math.floor(this.rows.clientHeight / this.height) - 1);
    const at = chosen ? chosen.place : -1;
    const acts = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(this.shown.length - 1),
      PageDown: () => go(at + page), PageUp: () => go(at - page),
      ArrowRight: () => {
        if (event.shiftKey) this.look(this.from + this.span / 4, this.span);
        else if (chosen && chosen.children.length && !this.isOpen(chosen)) this.open(chosen, true);
        else if (chosen && chosen.children.length) go(at + 1);
      },
      ArrowLeft: () => {
        if (event.shiftKey) this.look(this.from - this.span / 4, this.span);
        else if (chosen && chosen.children.length && this.isOpen(chosen)) this.open(chosen, false);
        else if (chosen && chosen.parent) this.select(chosen.parent);
      },
      '+': () => this.zoom(.5), '=': () => this.zoom(.5), '-': () => this.zoom(2), '0': () => this.fit(),
      Enter: () => chosen && this.choose(chosen, true), ' ': () => chosen && this.open(chosen, !this.isOpen(chosen)),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}
