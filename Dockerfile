# quarkcrawl on slim Debian: docker build -t quarkcrawl .
FROM python:3.13-slim AS build
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[plot,web,metrics]" \
 && rm -rf /wheels \
 && useradd --uid 1000 --create-home crawler \
 && install -d -o crawler /data
ENV MPLCONFIGDIR=/tmp
USER crawler
WORKDIR /data
VOLUME /data
# As Ctrl-C: a crawl finishes what is out. Python as process 1 would ignore SIGTERM elsewhere.
STOPSIGNAL SIGINT
ENTRYPOINT ["quarkcrawl"]
CMD ["--help"]
