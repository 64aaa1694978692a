new RunView(document.getElementById('page')).show(JSON.parse(document.getElementById('data').textContent));
