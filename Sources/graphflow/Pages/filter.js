// Hides the rows of a table that lack a word of the search.
const rows = [...document.querySelectorAll('#items tbody tr')].map(row => [row, row.textContent.toLowerCase()]);
const filter = document.getElementById('filter');
const show = () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const [row, text] of rows) {
    row.hidden = !words.every(word => text.includes(word));
    if (!row.hidden) count += 1;
  }
  document.getElementById('shown').textContent = words.length ? count + ' of ' + rows.length : '';
};
filter.addEventListener('input', show);
show();
