import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;
import org.opensearch.transport.TransportService;

/**
 * One node of a test cluster on loopback: TestNode FOLDER NAME MANAGERS [SETTING=VALUE…]
 *
 * The system picks its ports. It prints them as one line of JSON, and finds the others by the addresses that the test
 * then writes to FOLDER/config/unicast_hosts.txt. It ends when its standard input does, so that no node outlives a test.
 */
public final class TestNode {
  private static final class EmbeddedNode extends Node {
    EmbeddedNode(Environment environment, Collection<Class<? extends Plugin>> plugins) {
      super(environment, plugins, true);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]).toAbsolutePath();
    Path config = Files.createDirectories(folder.resolve("config"));
    Path hosts = config.resolve("unicast_hosts.txt");
    if (!Files.exists(hosts)) Files.createFile(hosts);
    Settings.Builder settings =
        Settings.builder()
            .put("path.home", folder.toString())
            .put("path.data", folder.resolve("data").toString())
            .put("cluster.name", "sessions-test")
            .put("node.name", arguments[1])
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("transport.type", "netty4")
            .put("http.type", "netty4")
            .put("node.store.allow_mmap", false)
            .put("discovery.seed_providers", "file")
            // The ports are printed before the others are known.
            .put("discovery.initial_state_timeout", "0s")
            .put("discovery.find_peers_interval", "200ms")
            .putList("cluster.initial_cluster_manager_nodes", arguments[2].split(","));
    for (int i = 3; i < arguments.length; i++) {
      String[] setting = arguments[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    Node node =
        new EmbeddedNode(
            new Environment(settings.build(), config),
            List.of(Netty4Plugin.class, ReindexPlugin.class));
    node.start();
    int http =
        node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    int transport =
        node.injector().getInstance(TransportService.class).boundAddress().publishAddress().getPort();
    System.out.println("{\"http\":" + http + ",\"transport\":" + transport + "}");
    Thread untilInputEnds =
        new Thread(
            () -> {
              try {
                while (System.in.read() != -1) {}
              } catch (java.io.IOException ignored) {
              }
              Runtime.getRuntime().halt(0);
            });
    untilInputEnds.setDaemon(true);
    untilInputEnds.start();
    new CountDownLatch(1).await();
  }
}
